/* One document, parsed twice: in one piece, and in two pieces with every handler set. */
#include <expat.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static unsigned depth, events;

static void XMLCALL start(void *data, const XML_Char *name, const XML_Char **attributes) {
  (void)data;
  depth++;
  events += (unsigned)strlen(name);
  for (; *attributes; attributes += 2) events += attributes[1][0] == 'x' ? 2 : 1;
}

static void XMLCALL end(void *data, const XML_Char *name) {
  (void)data;
  (void)name;
  depth--;
}

static void XMLCALL text(void *data, const XML_Char *s, int length) {
  (void)data;
  for (int i = 0; i < length; i++) events += s[i] == '\n';
}

static void XMLCALL instruction(void *data, const XML_Char *target, const XML_Char *rest) {
  (void)data;
  events += target[0] == rest[0];
}

static void XMLCALL comment(void *data, const XML_Char *s) {
  (void)data;
  events += s[0] != 0;
}

static void XMLCALL doctype(void *data, const XML_Char *name, const XML_Char *system, const XML_Char *public, int internal) {
  (void)data;
  events += (name != NULL) + (system != NULL) + (public != NULL) + (unsigned)internal;
}

static void parse(const char *document, size_t size, size_t first, const XML_Char *encoding, int all) {
  XML_Parser parser = XML_ParserCreate(encoding);
  if (!parser) return;
  // Otherwise drawn at random in every run: inputs would not say what happens.
  XML_SetHashSalt(parser, 1);
  XML_SetElementHandler(parser, start, end);
  XML_SetCharacterDataHandler(parser, text);
  if (all) {
    XML_SetProcessingInstructionHandler(parser, instruction);
    XML_SetCommentHandler(parser, comment);
    XML_SetStartDoctypeDeclHandler(parser, doctype);
    XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_ALWAYS);
  }
  depth = events = 0;
  if (first < size && XML_Parse(parser, document, (int)first, 0) == XML_STATUS_ERROR) {
    events += (unsigned)XML_GetErrorCode(parser);
  } else if (first < size) {
    XML_Parse(parser, document + first, (int)(size - first), 1);
  } else {
    XML_Parse(parser, document, (int)size, 1);
  }
  events += (unsigned)XML_GetCurrentLineNumber(parser);
  XML_ParserFree(parser);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  const char *document = (const char *)data + 1;
  size--;
  parse(document, size, size, NULL, 0);
  parse(document, size, size / 2, data[0] & 1 ? "UTF-16" : NULL, 1);
  return 0;
}
