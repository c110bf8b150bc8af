interface EpicIdentity {
  readonly id: number
  readonly iid: number
  readonly group_id: number
  readonly full_path: string
}

/** The namespace and target of a domain event about an epic. */
export const aboutEpic = ({ id, group_id }: Pick<EpicIdentity, 'id' | 'group_id'>) => ({
  namespace: group_id,
  target: { type: 'Epic', id },
})

/** How a domain event about something in a namespace names an epic: with a reference that is short within its group. */
export function namingEpic(epic: EpicIdentity, namespaceId: number) {
  const path = epic.group_id === namespaceId ? '' : epic.full_path
  return { noteable_id: epic.id, reference: `${path}&${epic.iid}` }
}
