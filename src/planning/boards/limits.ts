/** Boards of one project or group. */
export const MAX_BOARDS = 100
/** Labels that all issues on a board have. */
export const MAX_LABELS = 20
/** Lists of one board: filters of issues take as many labels. */
export const MAX_LISTS = 50
