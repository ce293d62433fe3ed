/* A library that fixtures link; one of them is called libtorch. */
int spar_fixture_answer(void);
int spar_fixture_answer(void) { return 42; }
