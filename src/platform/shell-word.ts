/** A text as one word of a shell, in which nothing counts. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
