import { count, flag } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const lfsSettings = {
  max_lfs_object_size: setting(
    count(),
    5_120,
    'The maximum size of a Git LFS object, in megabytes; 0 means no limit but the room in the file store.',
  ),
  max_lfs_project_size: setting(
    count(),
    0,
    'What the Git LFS objects of a project may take together, in megabytes; 0 means no limit.',
  ),
  lfs_pushes_need_objects: setting(
    flag(),
    true,
    'Whether pushes are refused whose Git LFS pointers name objects that nobody has uploaded to the project.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof lfsSettings> {}
}
