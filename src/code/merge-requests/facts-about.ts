interface Identity {
  readonly id: number
  readonly namespace_id: number
}

/** The namespace and target of a domain event about a merge request. */
export const aboutMergeRequest = ({ id, namespace_id }: Identity) => ({
  namespace: namespace_id,
  target: { type: 'MergeRequest', id },
})

/** A merge request as the source of mentions. */
export const mentioningMergeRequest = ({ id, iid }: { readonly id: number; readonly iid: number }) => ({
  id,
  noun: 'merge request',
  reference: `!${iid}`,
})
