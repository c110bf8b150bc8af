import type { RawBuilder } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { Placeholder } from './placeholders.ts'

/** Values of placeholders, by their names; null for what a project does not have. */
export type ValuesByPlaceholder = Readonly<Partial<Record<Placeholder, string | null>>>

/**
 * Finds values of placeholders for a project, as far as the viewer may know them. It is a part of the one statement that
 * a request sends for all of its badges: a JSON object about the project (`p`, with its `namespaces` as `n`), or null.
 */
export type ValuesOfProject = (viewer: Viewer) => RawBuilder<ValuesByPlaceholder | null>

export const placeholderValues = new ExtensionPoint<ValuesOfProject>('the list of values of placeholders')
