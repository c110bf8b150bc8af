interface IssueIdentity {
  readonly id: number
  readonly iid: number
  readonly namespace_id: number
  readonly full_path: string
}

/** The namespace and target of a domain event about an issue. */
export const aboutIssue = ({ id, namespace_id }: Pick<IssueIdentity, 'id' | 'namespace_id'>) => ({
  namespace: namespace_id,
  target: { type: 'Issue', id },
})

/** How a domain event about an issue names another one: with a reference that is short within the project. */
export function naming(other: IssueIdentity, { namespace_id }: Pick<IssueIdentity, 'namespace_id'>) {
  const path = other.namespace_id === namespace_id ? '' : other.full_path
  return { issue_id: other.id, reference: `${path}#${other.iid}` }
}
