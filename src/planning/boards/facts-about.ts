import type { ListRow } from './entity.ts'
import type { LockedBoard } from './queries.ts'

/** What facts say of a list. */
export function aboutList(board: LockedBoard, { id, label, assignee, milestone }: ListRow) {
  const kind = label !== null ? 'label' : assignee !== null ? 'assignee' : 'milestone'
  const of_id = (label ?? assignee ?? milestone)?.id ?? 0
  return {
    namespace: board.namespace_id,
    target: { type: 'BoardList', id },
    details: { board_id: board.id, kind, of_id },
  } as const
}
