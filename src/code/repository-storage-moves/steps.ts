import { ExtensionPoint } from '#platform/extension-point.ts'

/** What a move has just done. After each of these the process may die, and another one goes on. */
export const moveSteps = [
  'started',
  'drained',
  'copying',
  'copied',
  'verified',
  'switched',
  'removed',
] as const
export type MoveStep = (typeof moveSteps)[number]

/** Is told what a move has just done; the move waits for it. Tests stop processes here. */
export type MoveWatcher = (step: MoveStep, moveId: number) => void | Promise<void>

export const moveWatchers = new ExtensionPoint<MoveWatcher>('the list of watchers of storage moves')

export async function reached(step: MoveStep, moveId: number): Promise<void> {
  for (const watch of moveWatchers.entries) await watch(step, moveId)
}
