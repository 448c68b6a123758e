#include "agreement_main.c"
