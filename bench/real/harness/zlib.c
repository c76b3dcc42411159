/* The bytes decompressed as zlib, gzip or raw, and what comes out compressed again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static unsigned char out[4096], packed[8192];
  if (size < 1) return 0;
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  stream.next_in = (unsigned char *)data + 1;
  stream.avail_in = (unsigned)size - 1;
  int bits = data[0] == 'r' ? -15 : data[0] == 'g' ? 31 : 47;
  if (inflateInit2(&stream, bits) != Z_OK) return 0;
  stream.next_out = out;
  stream.avail_out = sizeof out;
  inflate(&stream, Z_FINISH);
  unsigned long got = stream.total_out, room = sizeof packed;
  inflateEnd(&stream);
  compress2(packed, &room, data, size, 6);
  return got > 0 && crc32(0, out, (unsigned)got) == 1;
}
