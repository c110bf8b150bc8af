import { type RawBuilder, sql } from 'kysely'
import { leftOut, shortened } from '#platform/http/long-rows.ts'

/** A label of an issue or epic. */
export interface CarriedLabel {
  readonly id: number
  readonly name: string
  readonly description: string | null
  readonly color: string
  readonly archived: boolean
  /** The size in bytes of a description that was too long to be read with the other rows. */
  readonly left_out?: number | null
}

/** The number of labels whose descriptions together share the size limit of one other text. */
const LABELS = 100

/** A label as JSON, in statements about what has it. */
export function carriedLabelJson(label: string, longest: number | undefined): RawBuilder<CarriedLabel> {
  const of = (column: string) => sql.ref(`${label}.${column}`)
  const each = longest === undefined ? undefined : Math.floor(longest / LABELS)
  const description = `${label}.description`
  return sql`json_build_object('id', ${of('id')}, 'name', ${of('name')}, 'color', ${of('color')},
    'archived', ${of('archived')}, 'description', ${shortened(description, each)}, 'left_out', ${leftOut(description, each)})`
}
