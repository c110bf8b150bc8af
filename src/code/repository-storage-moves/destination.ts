import { invalid } from '#platform/refusals.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import type { Storages } from '#code/repositories/storages.ts'

/** @throws 400 when nothing would move */
export function assertElsewhere(source: string, destination: string): void {
  if (source === destination)
    throw invalid({ destination_storage_name: ['is the storage where it is already'] })
}

/**
 * The storage to move to: the one that is named, or one by the weights of the setting.
 * @throws 400 when nobody names one and no other storage has a weight
 */
export function destinationOf(
  storages: Storages,
  settings: Settings,
  { source, named }: { readonly source: string; readonly named: string | undefined },
): string {
  const destination = named ?? storages.pick(settings.repository_storages_weighted, source)
  if (destination !== undefined) return destination
  throw invalid({
    destination_storage_name: ['is needed, because no other storage has a weight for new repositories'],
  })
}
