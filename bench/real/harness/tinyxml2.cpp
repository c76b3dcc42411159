// A document: parsed, walked, printed.
#include <cstddef>
#include <cstdint>
#include <tinyxml2.h>

static int walk(const tinyxml2::XMLNode *node) {
  int n = 0;
  for (const tinyxml2::XMLNode *child = node->FirstChild(); child; child = child->NextSibling()) {
    const tinyxml2::XMLElement *element = child->ToElement();
    if (element)
      for (const tinyxml2::XMLAttribute *a = element->FirstAttribute(); a; a = a->Next()) n += a->IntValue() == 7;
    n += 1 + walk(child);
  }
  return n;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tinyxml2::XMLDocument document;
  if (document.Parse(reinterpret_cast<const char *>(data), size) != tinyxml2::XML_SUCCESS) return 0;
  walk(&document);
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  return 0;
}
