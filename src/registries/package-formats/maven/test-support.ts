import type { Client } from '#test/client.ts'

/** The address of a file of a Maven package in a project. */
export const mavenFile = (
  { id }: { readonly id: number },
  path = 'com/example/app/1.0/app-1.0.jar',
  kind: 'projects' | 'groups' = 'projects',
): string => `/${kind}/${id}/${kind === 'groups' ? '-/' : ''}packages/maven/${path}`

/** Publishes a file of a Maven package. */
export const publishMaven = (
  client: Client,
  project: { readonly id: number },
  path?: string,
  content = 'hello world',
) => client.send('PUT', mavenFile(project, path), { form: content })
