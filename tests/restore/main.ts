import { runRestoreDrill } from './drill.ts'

/** `npm run restore-drill`: loses a database, restores it, and prints what happened. */
await runRestoreDrill((line) => console.log(line))
