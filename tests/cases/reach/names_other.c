int there = 2;
extern int there_too __attribute__((alias("there")));

static int weak = 3;
extern int weak_name __attribute__((weak, alias("weak")));

void set_there(int value) { there_too = value; }
