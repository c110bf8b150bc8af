// A start as `npm start` does it; says so once it answers. It is plain JavaScript, as what `npm start` runs: Node.js
// would load its compiler for TypeScript first.
process.env.FORGELET_LOG_LEVEL = 'silent'
process.argv.push('--ready-file=/dev/fd/1')
await import('../scripts/start.js')
