import type { Tx } from '#platform/db/transaction.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { EnvironmentRow } from './entity.ts'

/**
 * Begins what has to run before an environment is stopped.
 * @param environment locked
 * @returns whether something runs; it stops the environment once it is done
 */
type StopAction = (tx: Tx, environment: EnvironmentRow) => Promise<boolean>

export const stopActions = new ExtensionPoint<StopAction>('the list of what runs before an environment stops')
