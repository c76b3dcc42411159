/* Model: two functions of the mathematical library in one call. */
#include "model.h"

double sin(double x);
double cos(double x);
float sinf(float x);
float cosf(float x);

void MODEL(sincos)(double x, double *s, double *c);
void MODEL(sincos)(double x, double *s, double *c) {
  double first = sin(x), second = cos(x);
  *s = first;
  *c = second;
}

void MODEL(sincosf)(float x, float *s, float *c);
void MODEL(sincosf)(float x, float *s, float *c) {
  float first = sinf(x), second = cosf(x);
  *s = first;
  *c = second;
}
