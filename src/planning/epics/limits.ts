/** How many levels of epics can be below an epic. */
export const MAX_DEPTH = 7

/** Roughly the most epics directly below an epic, issues in one, and links of one: they are moved and counted together. */
export const MAX_CHILDREN = 1_000
export const MAX_ISSUES = 1_000
export const MAX_LINKS = 1_000
