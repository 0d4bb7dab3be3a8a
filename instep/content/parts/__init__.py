"""Parts and variables: texts that are kept once and shown in many articles."""
