/** The files of an archive, besides those of its parts. */
export const PROJECT = 'project.json'
export const BUNDLE = 'repository.bundle'
