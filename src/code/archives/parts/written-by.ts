/**
 * Names whoever wrote a text elsewhere. Accounts of other servers are not those of this one, so whoever imports
 * becomes the author, and nobody is made to say what they did not. The name mentions nobody.
 */
export function withAuthorLine(author: string, at: string, text: string): string {
  const name = author.replaceAll(/[^\p{L}\p{M}\p{N} .'-]/gu, '').trim()
  return `_Written by ${name === '' ? 'somebody' : name} on ${at.slice(0, 10)}_\n\n${text}`
}
