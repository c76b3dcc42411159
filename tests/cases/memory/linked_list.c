//@ about: a list built from input, searched by pointer chasing
//@ input: stdin =4
//@ args: --strategy dfs
//@ iterations: <= 60
//@ end: exhausted
#include <stdlib.h>
#include <unistd.h>

struct node {
    char key;
    struct node *next;
};

int main(void) {
    char keys[4];
    if (read(0, keys, 4) != 4) return 9;
    struct node *head = NULL;
    for (int i = 0; i < 4; i++) {
        struct node *n = malloc(sizeof *n);
        n->key = keys[i];
        n->next = head;
        head = n;
    }
    int at = 0;
    for (struct node *n = head; n; n = n->next, at++) //~ side: both
        if (n->key == '!') return 10 + at;            //~ side: both
    return 0;
}
