import { count } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const containerRegistrySettings = {
  container_registry_max_blob_size: setting(
    count(),
    10_240,
    'The maximum size of a layer or another blob of an image, in megabytes; 0 means no limit but the room in the file store.',
  ),
  container_registry_max_project_size: setting(
    count(),
    0,
    'What the images of a project may take together, in megabytes; 0 means no limit.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof containerRegistrySettings> {}
}
