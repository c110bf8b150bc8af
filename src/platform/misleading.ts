/**
 * Whether a name has characters that change the direction of text (Unicode's property Bidi_Control). People read another
 * name than programs do, as in CVE-2021-42574: no new branch, tag, file or topic gets such a name.
 */
export const isMisleading = (name: string): boolean => /\p{Bidi_Control}/u.test(name)

/** Why {@link isMisleading} names are refused. */
export const MISLEADING = 'must not have characters that change the direction of text'
