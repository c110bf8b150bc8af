/** The longest name of a reference, with steps back, in characters. */
export const MAX_NAME = 1_024

/** The longest path of a file in characters. */
export const MAX_FILE_PATH = 4_096
