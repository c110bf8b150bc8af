import { expect, test } from 'vitest'
import { newDatabase, urlOf } from '../new-database.ts'
import { folder, forgelet } from './forgelet.ts'

// Each in a process of its own: nothing but the command itself has loaded the program.
test('users and tokens are created where no server runs', async () => {
  const environment = {
    FORGELET_DATA: folder(),
    FORGELET_DATABASE_URL: urlOf(await newDatabase()),
    FORGELET_ROOT_PASSWORD: 'a password that is long enough',
  }
  const user = forgelet(
    ['user', 'create', '--username', 'ada', '--name', 'Ada', '--email', 'ada@example.com'],
    environment,
  )
  expect([await user.ended, user.err()]).toEqual([0, expect.not.stringContaining('should not happen')])
  const token = forgelet(
    ['token', 'create', '--user', 'ada', '--name', 'rescue', '--scope', 'api'],
    environment,
  )
  expect([await token.ended, token.out()]).toEqual([0, expect.stringMatching(/glpat-/)])
})
