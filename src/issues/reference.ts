/** How an issue is called in a text at another place: short within its project. */
export function referenceFrom(
  place: { readonly namespace_id: number },
  issue: { readonly namespace_id: number; readonly full_path: string; readonly iid: number },
): string {
  return `${issue.namespace_id === place.namespace_id ? '' : issue.full_path}#${issue.iid}`
}
