/** A text as one word of a shell, in which nothing counts. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
