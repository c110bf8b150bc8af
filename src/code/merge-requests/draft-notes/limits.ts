/** The most draft notes of one person on one merge request. */
export const MAX_DRAFT_NOTES = 200
/** The most bytes of all their texts together: publishing holds them in memory. */
export const MAX_DRAFT_NOTE_BYTES = 4_194_304
