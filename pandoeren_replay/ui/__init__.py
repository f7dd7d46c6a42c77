"""The dashboard: pages in Streamlit, the replayer in the browser."""
