import type { CarriedLabel } from '#planning/labels/carried.ts'

/** What was left out of an item: of its own text, and of those of its milestone and labels. */
interface Lacking {
  readonly left_out: number | null
  readonly milestone?: { readonly left_out?: number | null } | null
  readonly labels: readonly Pick<CarriedLabel, 'left_out'>[]
}

/** The size in bytes of the texts that an item was read without, as far as the answer shows them. */
export const lacksOf =
  ({ with_labels_details = false } = {}) =>
  (row: Lacking): number =>
    lackedBy(row) + (with_labels_details ? lackedByLabels(row) : 0)

/** The size in bytes of the texts that were left out of an item, except those that only label details show. */
export const lackedBy = ({ left_out, milestone }: Omit<Lacking, 'labels'>): number =>
  (left_out ?? 0) + (milestone?.left_out ?? 0)

const lackedByLabels = ({ labels }: Pick<Lacking, 'labels'>): number =>
  labels.reduce((bytes, { left_out }) => bytes + (left_out ?? 0), 0)
