import { unprocessable, type Unprocessable } from '#platform/refusals.ts'

/** Why no changelog can be made. @param why completes the sentence */
export const changelogFailed = (why: string): Unprocessable =>
  unprocessable(`Failed to generate the changelog: ${why}`)
