import type { NumberedReference, Reference } from './kinds.ts'

/** The words that close the issues after them, such as `Closes `, `fixed: ` and `Resolves issues `. */
const KEYWORD =
  /(?<![\p{L}\p{N}_])(?:[Cc]los(?:e[sd]?|ing)|[Ff]ix(?:e[sd]|ing)?|[Rr]esolv(?:e[sd]?|ing)|[Ii]mplement(?:s|ed|ing)?):? +(?:issues? +)?$/u

/** What may stand between two issues of such a list: `, `, ` and `, `, and `. */
const BETWEEN = /^(?: *,? +and +| *,? *)(?:issues? +)?$/

/** More characters than a keyword, and than what joins a list, in sensible texts. */
const NEAR = 64

/**
 * The references to issues that a text closes: `Closes #12`, `fixes group/project#3, #4 and #5`, `Resolves` and the URL of an issue.
 * @param references those of the text, in order, by `parseReferences`.
 */
export function closingReferences(text: string, references: readonly Reference[]): NumberedReference[] {
  const closing: NumberedReference[] = []
  let end: number | undefined
  for (const reference of references) {
    if (reference.kind !== 'issue') continue
    const { start } = reference
    const continues = end !== undefined && start - end <= NEAR && BETWEEN.test(text.slice(end, start))
    const closes = continues || KEYWORD.test(text.slice(Math.max(0, start - NEAR), start))
    end = closes ? reference.end : undefined
    if (closes) closing.push(reference)
  }
  return closing
}
