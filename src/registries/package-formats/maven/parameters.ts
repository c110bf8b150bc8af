import { text } from '#platform/http/schema.ts'

/** How the path of a file in a Maven repository is read. */
export const byPath = {
  path: text({
    max: 1_024,
    description: 'The folders of the file: `com/example/app/1.0`, with slashes as they are or as `%2F`.',
  }),
  file_name: text({ description: 'Such as `app-1.0.jar`, or one of its digests: `app-1.0.jar.sha1`.' }),
}
