/* Linked first into every file: the sections that are laid over shared memory begin on a page. */
__asm__(".pushsection symcrete_marks,\"awR\",@progbits\n"
        ".p2align 12\n"
        ".popsection\n"
        ".pushsection symcrete_sides,\"awR\",@progbits\n"
        ".p2align 12\n"
        ".popsection\n");
