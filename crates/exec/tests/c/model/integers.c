/* Integers of every width, signed and not, loops and switches. */
#include <stdint.h>
#include <stdio.h>

static uint32_t mix(uint32_t a, int16_t b, int8_t c, uint64_t d) {
  uint32_t r = a * 2654435761u + (uint32_t)b;
  r ^= (uint32_t)(c >> 1) + (uint32_t)(d >> 33);
  r = (r << 7 | r >> 25) + (a / 3u) % 1000u;
  return r - (uint32_t)(b / 7) + (uint32_t)(b % 5);
}

static int kind(int x) {
  switch (x) {
  case -3:
    return 1;
  case 0:
  case 1:
    return 2;
  case 70000:
    return 3;
  default:
    return x < 0 ? 4 : 5;
  }
}

int main(void) {
  uint32_t h = 1;
  for (int i = -50; i < 50; i++) {
    h = mix(h, (int16_t)(i * 700), (int8_t)(i * 3), (uint64_t)h * h);
    if ((h & 15) == 3 && i > 0)
      h += kind(i - 3);
    unsigned _BitInt(20) odd = (unsigned _BitInt(20))h;
    h ^= (uint32_t)(odd * odd);
    __int128 wide = (__int128)h << 70;
    h += (uint32_t)(wide / 12345 >> 60);
  }
  printf("%u %d %d %d %d\n", h, kind(-3), kind(1), kind(70000), kind(-9));
  unsigned long long n = 27, steps = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    steps++;
  }
  printf("%llu %x\n", steps, h >> 5);
  return (int)(h & 63);
}
