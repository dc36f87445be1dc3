import type { StorybookConfig } from "@storybook/react-vite";

const config: StorybookConfig = {
  framework: "@storybook/react-vite",
  stories: ["../src/**/*.stories.tsx"],
  core: { disableTelemetry: true, disableWhatsNewNotifications: true },
  // The gallery needs neither a service worker nor the manifest of the app.
  viteFinal: (vite) => ({
    ...vite,
    plugins: vite.plugins?.flat(4).filter((p) => !(p && "name" in p && p.name.startsWith("vite-plugin-pwa"))),
  }),
  // Types are read by tsc; the gallery only shows.
  typescript: { reactDocgen: false },
};

export default config;
