/* The file behind `fd` is the input object from now on. */
void declare_input(int fd);
/* Bytes that models said were input. */
extern unsigned long labelled;
/* How often a model had computed something else than the native function. */
extern unsigned long unsettled;
