/** The kind of noteable that snippets are. */
export const SNIPPET = 'snippet'

/** A snippet as the source of mentions. */
export const mentioningSnippet = (id: number) => ({ id, noun: SNIPPET, reference: `$${id}` })
