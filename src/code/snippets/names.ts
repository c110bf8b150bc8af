/** The kind of noteable that snippets are. */
export const SNIPPET = 'snippet'
