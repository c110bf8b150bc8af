import { type Definition, definitions, effectOf } from '#platform/settings/definitions.ts'

/** The page about application settings, from the definitions of all features. */
export function settingsPage(): string {
  const rows = [...definitions()].map(([name, definition]) => rowOf(name, definition))
  return `# Application settings

<!-- Made from the settings of all features by \`npm run openapi\`; edit those. -->

Administrators change these settings for the whole instance, and every process follows within a second:

\`\`\`text
curl --request PUT --header "PRIVATE-TOKEN: $TOKEN" http://127.0.0.1:8080/api/v4/application/settings --data "notes_create_limit=60"
\`\`\`

The table has every setting that Forgelet knows, and what becomes of it:

- **enforced**: the server acts on it.
- **kept**: the server stores it and sends it back. It changes nothing, because what it is about does not exist here, or is a matter of taste.
- **refused**: it would promise what is not there. The default can be sent; any other value answers 400 with the reason.

A name that is not in the table is ignored.

| Setting | Effect | Default | Meaning |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}

function rowOf(name: string, definition: Definition<unknown>): string {
  const { about, default: standard, fixed } = definition
  const meaning = fixed === undefined ? about : `${about} The reason: ${fixed}.`
  return `| \`${name}\` | ${effectOf(definition)} | \`${JSON.stringify(standard)}\` | ${meaning} |`
}
