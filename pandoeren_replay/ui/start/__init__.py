"""The script that Streamlit is pointed at, alone in its folder."""
