import { Type } from 'typebox'
import { MAX_FILE_PATH, MAX_NAME } from '#code/repositories/limits.ts'
import { moment, text } from '#platform/http/schema.ts'

const MAX_MESSAGE = 100_000

const commit = (description: string) => Type.Optional(text({ max: MAX_NAME, filled: true, description }))

const both = {
  version: text({ max: 255, description: 'A version as semantic versioning has it, such as `1.2.0`.' }),
  from: commit(
    'What this commit has is left out. By default the tag of the last stable version before this one.',
  ),
  to: commit('The last commit that counts.'),
  date: Type.Optional(moment({ description: 'Of the release; by default now.' })),
  trailer: Type.Optional(
    text({
      filled: true,
      description: 'Which commits count, and what they are about; by default `Changelog`.',
    }),
  ),
  config_file: Type.Optional(
    text({ max: MAX_FILE_PATH, filled: true, description: 'By default `.gitlab/changelog_config.yml`.' }),
  ),
  config_file_ref: commit('Where that file is read; by default on the default branch.'),
}

export const ChangelogQuery = Type.Object(both)

export const NewChangelog = Type.Object({
  ...both,
  branch: Type.Optional(
    text({ max: MAX_NAME, filled: true, description: 'It gets the commit; by default the default branch.' }),
  ),
  file: Type.Optional(
    text({
      max: MAX_FILE_PATH,
      filled: true,
      description: 'What is changed, or made; by default `CHANGELOG.md`.',
    }),
  ),
  message: Type.Optional(
    text({
      max: MAX_MESSAGE,
      filled: true,
      description: 'Of the commit; by default `Add changelog for version …`.',
    }),
  ),
})
