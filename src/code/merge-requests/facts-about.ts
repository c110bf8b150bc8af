interface Identity {
  readonly id: number
  readonly namespace_id: number
}

/** The namespace and target of a domain event about a merge request. */
export const aboutMergeRequest = ({ id, namespace_id }: Identity) => ({
  namespace: namespace_id,
  target: { type: 'MergeRequest', id },
})
