/** What a change of references applies. */
interface Applied {
  readonly mergeRequestId: number
  readonly ids: readonly number[]
}

/** The cause of the change of references that applies suggestions. */
export const causeOfSuggestions = ({ mergeRequestId, ids }: Applied): string =>
  `suggestions ${mergeRequestId} ${ids.join(',')}`

/** What such a cause says; undefined for any other one. */
export function suggestionsOfCause(cause: string): Applied | undefined {
  const [, id, ids] = /^suggestions (\d+) (\d+(?:,\d+)*)$/.exec(cause) ?? []
  if (id === undefined || ids === undefined) return undefined
  return { mergeRequestId: Number(id), ids: ids.split(',').map(Number) }
}
