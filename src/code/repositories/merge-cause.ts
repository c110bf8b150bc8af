/** The cause of the change of references that merges a merge request. */
export const causeOfMerge = (iid: number, head: string): string => `merge ${iid} ${head}`

/** The number of the merge request, and the commit that is merged, of such a cause; undefined for any other one. */
export function mergeOf(cause: string): { readonly iid: number; readonly head: string } | undefined {
  const [, iid, head] = /^merge (\d+) ([0-9a-f]{40,64})$/.exec(cause) ?? []
  return iid === undefined || head === undefined ? undefined : { iid: Number(iid), head }
}
