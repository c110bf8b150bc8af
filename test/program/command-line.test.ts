import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { CommandOptions } from '#program/cli/command.ts'
import { commands } from '#program/cli/commands.ts'
import { variables } from '#platform/config/variables.ts'
import { Client } from '#test/client.ts'
import { newDatabase, urlOf } from '#test/new-database.ts'
import { unique, w } from '#test/world.ts'
import { forgelet } from './in-process.ts'

describe('help and version', () => {
  test('the help names every command and every variable', async () => {
    const { code, out, err } = await forgelet(['--help'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    for (const { name, about } of commands) expect(out).toMatch(new RegExp(`^  ${name} +${about}$`, 'm'))
    for (const { name } of Object.values(variables)) expect(out).toContain(`  ${name} `)
  })

  test.each(commands.map(({ name }) => [name]))('the help of "%s" names its options', async (name) => {
    const command = commands.find((one) => one.name === name)
    const { code, out } = await forgelet([...name.split(' '), '--help'])
    expect(code).toBe(0)
    expect(out).toContain(`Usage: forgelet ${name}`)
    for (const option of Object.keys(command?.options ?? {}))
      expect(out).toMatch(new RegExp(`^  --${option}\\b`, 'm'))
  })

  test('the help of a first word names the commands that begin with it', async () => {
    const { code, out } = await forgelet(['user', '--help'])
    expect(code).toBe(0)
    expect(out).toContain('Usage: forgelet user <command>')
    expect(out.match(/^ {2}user [\w-]+/gm)).toEqual([
      '  user create',
      '  user reset-password',
      '  user unlock',
    ])
  })

  test.each([
    ['forgelet us', 'user'],
    ['forgelet user res', 'reset-password'],
    ['forgelet user create --us', '--username'],
    ['forgelet --eph', '--ephemeral'],
  ])('bash completes "%s"', async (line, word) => {
    const { out } = await forgelet(['completion', 'bash'])
    const words = line.split(' ')
    const script = `${out}
COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _forgelet; echo "\${COMPREPLY[*]}"`
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe(`${word}\n`)
  })

  test.each(['zsh', 'fish'])('the completions of %s name every command', async (shell) => {
    const { out } = await forgelet(['completion', shell])
    for (const word of commands.flatMap(({ name }) => name.split(' '))) expect(out).toContain(word)
  })

  test('the version is that of the package', async () => {
    const { default: manifest } = await import('../../package.json', { with: { type: 'json' } })
    expect(await forgelet(['--version'])).toEqual({ code: 0, out: `${manifest.version}\n`, err: '' })
  })

  test('an option that several commands have takes a value in all of them or in none', () => {
    const kinds = new Map<string, boolean>()
    for (const [name, { value }] of commands.flatMap(({ options }) => Object.entries(options))) {
      expect(kinds.get(name) ?? value !== undefined).toBe(value !== undefined)
      kinds.set(name, value !== undefined)
    }
  })
})

const someone = ['--username=x', '--name=x', '--email=x@example.com']
const token = ['token', 'create', '--user=root', '--name=ci']
const licensee = ['--company=x', '--name=x', '--email=x']
const license = ['license', 'issue', '--plan=premium', ...licensee]
const lasting = [...license, '--expires=2999-01-01', '--users=5']

describe('bad usage ends with 2 and one line that helps', () => {
  test.each<[string[], RegExp]>([
    [['sevre'], /there is no command "sevre", did you mean "serve"\?/],
    [['user'], /forgelet user needs another word: create or reset-password or unlock/],
    [['user', 'make'], /there is no command "user make"/],
    [['user', 'reset-password'], /forgelet user reset-password needs --user <username>/],
    [['user', 'reset-password', '--user=root', '--password=short'], /8 characters or more/],
    [['user', 'unlock'], /forgelet user unlock needs --user <username>/],
    [['completion'], /name a shell, not "" \(shells: bash, zsh, fish\)/],
    [['completion', 'toString'], /name a shell, not "toString"/],
    [['something', 'else'], /there is no command "something else" \(commands: serve, migrate,/],
    [['migrate', 'now'], /forgelet migrate takes options only, not "now"/],
    [['--ephemral'], /forgelet serve has no option --ephemral, did you mean --ephemeral\?/],
    [['runner', '--concurrent=0'], /--concurrent should be a number from 1 to 100/],
    [['runner', 'register'], /--token or --token-stdin is missing/],
    [['runner', 'register', '--token=x', '--url=ftp://x'], /--url should be where the server is/],
    [['migrate', '--ephemeral'], /forgelet migrate has no option --ephemeral/],
    [['-x'], /forgelet serve has no option -x/],
    [['--ephemeral=yes'], /--ephemeral takes no value/],
    [['user', 'create', '--name'], /--name needs a value: --name=<name>/],
    [['user', 'create', '--name', '--admin'], /--name needs a value: --name=<name>/],
    [['user', 'create', '--username=x'], /forgelet user create needs --name <name>/],
    [['user', 'create', ...someone, '--email=x'], /--email "x" is no e-mail address/],
    [['user', 'create', ...someone, '--name= '], /--name is blank/],
    [['user', 'create', ...someone, '--password=short'], /8 characters or more/],
    [['user', 'create', ...someone, '--password=long enough', '--password-stdin'], /choose one/],
    [[...token], /forgelet token create needs --scope <scope>/],
    [[...token, '--scope=apu'], /there is no scope "apu" \(scopes: api, /],
    [[...token, '--scope=api', '--expires=2031-02-29'], /"2031-02-29" is no day/],
    [[...token, '--scope=api', '--expires=soon'], /"soon" is no day: write it as YYYY-MM-DD/],
    [[...token, '--scope=api', '--expires=2001-01-01'], /not in the future/],
    [['license'], /forgelet license needs another word: issue or inspect/],
    [[...license, '--expires=2999-01-01'], /forgelet license issue needs --users <number>/],
    [[...license, '--users=5'], /forgelet license issue needs --expires <YYYY-MM-DD>/],
    [[...license, '--users=5', '--expires=2001-01-01'], /--expires 2001-01-01 is not in the future/],
    [[...license, '--users=5', '--expires=soon'], /--expires "soon" is no day/],
    [[...license, '--users=5', '--expires=2999-02-30'], /"2999-02-30" is no day/],
    [[...lasting, '--starts=2999-01-01'], /--expires should be after --starts/],
    [[...lasting, '--starts=1.1.2030'], /--starts "1.1.2030" is no day/],
    [[...lasting, '--plan=gold'], /there is no plan "gold" \(plans: premium, ultimate\)/],
    [[...lasting, '--users=-1'], /--users "-1" is no whole number from 0 to 2147483647/],
    [[...lasting, '--users=2147483648'], /is no whole number/],
    [[...lasting, '--company= '], /--company is blank/],
    [[...lasting, '--name=a\tb'], /--name should be one line of at most 255 characters/],
    [[...lasting, '--add-on=Auditors'], /--add-on "Auditors" should be <NAME=N>/],
    [[...lasting, '--add-on=Auditors=many'], /--add-on Auditors "many" is no whole number/],
    [[...lasting, '--key=/nowhere.pem'], /--key \/nowhere.pem cannot be read \(Error: ENOENT/],
    [[...lasting, '--key=package.json'], /--key package.json holds no Ed25519 private key in PEM/],
    [['license', 'inspect'], /give a license, as an argument or on standard input/],
    [['license', 'inspect', 'one', 'two'], /forgelet license inspect takes one <license>, not "one two"/],
    [['serve', '--plan=ultimate'], /--plan is for --ephemeral only/],
    [['--plan', 'ultimate'], /--plan is for --ephemeral only/],
    [['--ephemeral', '--plan=gold'], /there is no plan "gold" \(plans: premium, ultimate\)/],
    [['migrate', '--plan=ultimate'], /forgelet migrate has no option --plan/],
  ])('%j', async (args, message) => {
    const { code, out, err } = await forgelet(args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(message)
    expect(err).toMatch(/^forgelet: [^\n]+ See forgelet --help\.\n$/)
  })

  test.each<[NodeJS.Dict<string>, string]>([
    [{ FORGELET_PROT: '1' }, 'forgelet: FORGELET_PROT: there is no such variable. Known: FORGELET_HOST, '],
    [
      { FORGELET_PORT: 'x' },
      'forgelet: FORGELET_PORT: "x" is not accepted. Accepted: a port number from 0 to 65535',
    ],
    [{ FORGELET_DATABASE_URL: 'mysql://x' }, 'forgelet: FORGELET_DATABASE_URL: its value is not accepted.'],
  ])('the environment %j', async (environment, message) => {
    const { code, err } = await forgelet([], environment)
    expect(code).toBe(2)
    expect(err).toContain(message)
  })

  test('an ephemeral server on a database of ours', async () => {
    const { code, err } = await forgelet(['--ephemeral'], { FORGELET_DATABASE_URL: 'postgres:///x' })
    expect(code).toBe(2)
    expect(err).toContain('unset FORGELET_DATABASE_URL')
  })
})

describe('on the database of a running server', () => {
  const here = { FORGELET_DATABASE_URL: w.environment['FORGELET_DATABASE_URL'] }

  test('user create makes a user and prints a password, alone', async () => {
    const username = unique('from-cli')
    const args = [
      'user',
      'create',
      '--username',
      username,
      '--name',
      'From CLI',
      '--email',
      `${username}@example.com`,
    ]
    const { code, out, err } = await forgelet(args, here)
    expect(code).toBe(0)
    expect(out).toMatch(/^\S{20}\n$/)
    expect(err).toMatch(new RegExp(`^made the user ${username} with the id \\d+\\n$`))
    expect(await stored(username)).toMatchObject({ name: 'From CLI', admin: false, state: 'active' })
    expect(await forgelet(args, here)).toEqual({
      code: 1,
      out: '',
      err: 'forgelet: Email has already been taken\n',
    })
  })

  test('user create takes a password from standard input, and makes administrators', async () => {
    const username = unique('from-cli')
    const args = ['user', 'create', `--username=${username}`, '--name=x', `--email=${username}@example.com`]
    const { code, out } = await forgelet([...args, '--admin', '--password-stdin'], here, [
      'a good pass',
      'word\n',
    ])
    expect({ code, out }).toEqual({ code: 0, out: '' })
    const { verifyPassword } = await import('#platform/access/passwords.ts')
    const { admin, password_digest } = await stored(username)
    expect(admin).toBe(true)
    expect(await verifyPassword(password_digest, 'a good password')).toBe(true)
  })

  test('token create prints a token that the server accepts at once', async () => {
    const { username } = await w.user()
    const { id } = await w.project({ visibility: 'internal' })
    const { code, out, err } = await forgelet(
      [
        'token',
        'create',
        `--user=${username.toUpperCase()}`,
        '--name=ci',
        '--scope=read_api',
        '--scope',
        'read_user,read_api',
        `--expires=${daysFromNow(30)}`,
      ],
      here,
    )
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^glpat-\S+\n$/)
    const client = new Client(w.url, { 'private-token': out.trim() })
    expect((await client.get(`/projects/${id}/labels`)).status).toBe(200)
    expect((await client.post(`/projects/${id}/labels`, { name: 'x', color: 'red' })).body.error).toBe(
      'insufficient_scope',
    )
  })

  test('token create keeps to the rules of tokens', async () => {
    const { username } = await w.user()
    const refused = async (...more: string[]) => {
      const { code, err } = await forgelet(
        ['token', 'create', `--user=${username}`, '--name=ci', ...more],
        here,
      )
      return [code, err]
    }
    expect(await refused('--scope=sudo')).toEqual([1, 'forgelet: scopes can only contain available scopes\n'])
    const [code, err] = await refused('--scope=api', `--expires=${daysFromNow(1000)}`)
    expect([code, err]).toEqual([1, expect.stringMatching(/expires_at must not be after \d{4}-\d\d-\d\d/)])
  })

  test.each(['nobody-of-that-name', 'ghost'])('token create refuses the user %s', async (name) => {
    const result = await forgelet(['token', 'create', `--user=${name}`, '--name=x', '--scope=api'], here)
    expect(result).toEqual({ code: 1, out: '', err: `forgelet: there is no user "${name}"\n` })
  })

  test('user reset-password gives a password, ends the sessions, and prints the password alone', async () => {
    const { id, username } = await w.user()
    const { code, out, err } = await forgelet(['user', 'reset-password', `--user=${username}`], here)
    expect({ code, err }).toEqual({
      code: 0,
      err: `${username} has a new password, and is signed out everywhere\n`,
    })
    const { verifyPassword } = await import('#platform/access/passwords.ts')
    const { password_digest } = await stored(username)
    expect(await verifyPassword(password_digest, out.trim())).toBe(true)
    const chosen = ['user', 'reset-password', `--user=${username}`, '--password-stdin']
    expect(await forgelet(chosen, here, ['another good password\n'])).toMatchObject({ code: 0, out: '' })
    expect(await verifyPassword((await stored(username)).password_digest, 'another good password')).toBe(true)
    const facts = await w.db.selectFrom('facts').select('name').where('target_id', '=', id).execute()
    expect(facts.map(({ name }) => name)).toContain('user changed')
  })

  test.each(['block', 'ban', 'deactivate'])('user unlock undoes %s', async (verb) => {
    const { id, username } = await w.user()
    await w.db
      .updateTable('users')
      .set({ last_activity_on: '2020-01-01', created_at: '2020-01-01' })
      .where('id', '=', id)
      .execute()
    expect((await w.root.post(`/users/${id}/${verb}`)).status).toBe(201)
    const unlock = ['user', 'unlock', `--user=${username}`]
    expect(await forgelet(unlock, here)).toEqual({ code: 0, out: '', err: `${username} is active again\n` })
    expect(await stored(username)).toMatchObject({ state: 'active' })
    expect((await forgelet(unlock, here)).err).toBe(`${username} was active already\n`)
  })

  test('doctor finds nothing wrong', async () => {
    const { code, out } = await forgelet(['doctor'], {
      ...here,
      FORGELET_DATA: w.environment['FORGELET_DATA'],
      FORGELET_SECRET_KEY: w.environment['FORGELET_SECRET_KEY'],
    })
    expect(out).toMatch(/✓ schema: migration \d+\n✓ secrets: they open with the master key\n/)
    expect(out).toContain('! mail: off: FORGELET_SMTP_URL is not set')
    expect({ code, wrong: out.match(/^✗.*/gm) }).toEqual({
      code: 1,
      wrong: [expect.stringContaining('fsync')],
    })
  })

  test('doctor says what is wrong, and what to do', async () => {
    const { code, out } = await forgelet(['doctor'], {
      FORGELET_DATA: '/proc/nowhere',
      FORGELET_DATABASE_URL: 'postgres://x@127.0.0.1:1/x',
      FORGELET_REDIS_URL: 'redis://127.0.0.1:1',
      FORGELET_SMTP_URL: 'smtp://127.0.0.1:1',
      FORGELET_BLOBS: 's3://bucket?endpoint=http://127.0.0.1:65000&region=x',
      FORGELET_BLOBS_ACCESS_KEY: 'x',
      FORGELET_BLOBS_SECRET: 'y',
    })
    expect(code).toBe(1)
    for (const [part, advice] of [
      ['database', 'Check FORGELET_DATABASE_URL'],
      ['Redis', 'Check FORGELET_REDIS_URL'],
      ['mail', 'Check FORGELET_SMTP_URL'],
      ['files', 'Check FORGELET_BLOBS'],
    ])
      expect(out).toMatch(new RegExp(`^✗ ${part}: .*ECONNREFUSED.*${advice}`, 'm'))
    const broken = await forgelet(['doctor'], { FORGELET_PORT: 'x' })
    expect(broken).toMatchObject({ code: 1, out: expect.stringContaining('✗ configuration: FORGELET_PORT') })
  })

  test('migrate finds nothing to do', async () => {
    expect(await forgelet(['migrate'], here)).toEqual({ code: 0, out: 'nothing to do\n', err: '' })
  })

  const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const stored = (username: string) =>
    w.db.selectFrom('users').selectAll().where('username', '=', username).executeTakeFirstOrThrow()
})

describe('what cannot be done ends with 1 and one line', () => {
  test('a database that is newer than the program', async () => {
    const url = urlOf(await newDatabase())
    const { default: pg } = await import('pg')
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`insert into migrations values (9000, '9000-later.sql', now())`)
    await client.end()
    const { code, err } = await forgelet(['migrate'], { FORGELET_DATABASE_URL: url })
    expect(code).toBe(1)
    expect(err).toMatch(
      /^forgelet: The database is at migration 9000, this version of Forgelet knows \d+ and does not work with it\. [^\n]+\n$/,
    )
  })

  test.each<[string, RegExp]>([
    [
      'postgres://x@127.0.0.1:1/x',
      /^forgelet: PostgreSQL cannot be reached \(.*ECONNREFUSED 127\.0\.0\.1:1\)\. [^\n]+\n$/,
    ],
    ['postgres:///x?host=/nowhere', /^forgelet: PostgreSQL cannot be reached \(.*ENOENT[^\n]+\n$/],
  ])('no database at %s', async (url, message) => {
    const { code, err } = await forgelet(['migrate'], { FORGELET_DATABASE_URL: url })
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(message) })
  })

  test('a defect shows where it happened', async () => {
    const { explain } = await import('#program/cli/refusals.ts')
    expect(explain(new Error('oops'))).toEqual({
      code: 1,
      text: expect.stringMatching(/please report it:\nError: oops\n {4}at /),
    })
  })

  test('options are read by name', () => {
    expect(() => new CommandOptions(new Map()).text('user')).toThrow('--user is missing')
  })
})
