/** Suggestions of one note; further blocks stay text. */
export const MAX_SUGGESTIONS = 20

/** Lines before and after that of the note which a suggestion may replace. */
export const MAX_LINES_AROUND = 100

/** Bytes of the lines that all suggestions of a note replace. */
export const MAX_FROM_BYTES = 32_768

/** Bytes of a file for which there are suggestions. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024

/** Bytes of the files that one request reads to follow suggestions, or changes. Suggestions for further files wait. */
export const MAX_BYTES_TOGETHER = 4 * MAX_FILE_BYTES

/** Suggestions that are applied together. */
export const MAX_APPLIED = 100

/** Suggestions of a merge request that follow a push. Those after them follow when somebody applies one. */
export const MAX_FOLLOWING = 200
