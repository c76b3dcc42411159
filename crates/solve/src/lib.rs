//! The solver chain, one file a layer; Bitwuzla only in src/bitwuzla/.
