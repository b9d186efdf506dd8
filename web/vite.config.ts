import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const api = process.env.API_URL ?? 'http://localhost:3001'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  // Without source maps: what is in this folder is public, and they are the sources.
  build: { outDir: 'dist', emptyOutDir: true, sourcemap: false },
  server: {
    // web/api has the same path as the server's calls: files that end in .ts are ours, everything else is the server's.
    proxy: { '^/api/(?!.+\\.tsx?(\\?|$))': api, '/__clerk': api, '/healthz': api },
  },
})
